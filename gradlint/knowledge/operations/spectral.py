"""Fourier transforms of more dimensions and of Hermitian input, and the short-time one."""

from __future__ import annotations

from gradlint.knowledge.schema import Operation, Result

ROWS = (
    Operation("fft_hfft", ("torch.fft.hfft",), results=(Result(dtype="float"),), takes_out=True),
    Operation("fft_hfft2", ("torch.fft.hfft2",), results=(Result(dtype="float"),), takes_out=True),
    Operation("fft_hfftn", ("torch.fft.hfftn",), results=(Result(dtype="float"),), takes_out=True),
    Operation(
        "fft_ihfft",
        ("torch.fft.ihfft",),
        results=(Result(dtype="complex"),),
        saves=("input",),
        refuses=("c",),
        takes_out=True,
        out_unchecked=True,
    ),
    Operation(
        "fft_ihfft2",
        ("torch.fft.ihfft2",),
        results=(Result(dtype="complex"),),
        saves=("input",),
        refuses=("c",),
        takes_out=True,
    ),
    Operation(
        "fft_ihfftn",
        ("torch.fft.ihfftn",),
        results=(Result(dtype="complex"),),
        saves=("input",),
        refuses=("c",),
        takes_out=True,
    ),
    Operation("fft_irfft2", ("torch.fft.irfft2",), results=(Result(dtype="float"),), takes_out=True),
    Operation("fft_irfftn", ("torch.fft.irfftn",), results=(Result(dtype="float"),), takes_out=True),
    Operation(
        "stft",
        ("torch.stft", "torch.Tensor.stft"),
        parameters=("input", "n_fft"),
        example="f(x, 4, return_complex=True, center=False)",
        results=(Result(dtype="complex"),),
        saves=("input: f",),
        refuses=("[bi]",),
        complex_if="return_complex",
        shapes=((8,),),
    ),
)
