"""Objects of Python and its library: what their methods give and their attributes are. None of them holds a tensor.

An owner is the word by which other rows call what they return: `path` is a `pathlib.Path`, `data` what a JSON file
holds.
"""

from __future__ import annotations

from gradlint.knowledge.schema import PlainRow


def _rows(*groups: tuple[str, str, str]) -> tuple[PlainRow, ...]:
    """One row per name: an owner, what it gives, and the names."""
    return tuple(PlainRow(f"{owner}.{name}", returns) for owner, returns, names in groups for name in names.split())


METHOD_ROWS = _rows(
    ("str", "str", "format join strip lstrip rstrip lower upper replace title capitalize casefold swapcase"),
    ("str", "str", "zfill ljust rjust center expandtabs removeprefix removesuffix translate __str__"),
    ("str", "bytes", "encode"),
    ("str", "bool", "startswith endswith isdigit isalpha isalnum isnumeric isspace isupper islower"),
    ("str", "bool", "isidentifier isdecimal istitle __contains__"),
    ("str", "int", "find rfind index rindex count __len__"),
    ("str", "list of str", "split rsplit splitlines partition rpartition"),
    ("bytes", "str", "decode hex"),
    ("int", "int", "bit_length bit_count __int__ __index__"),
    ("float", "bool", "is_integer"),
    ("float", "str", "hex"),
    ("path", "path", "joinpath with_suffix with_name with_stem resolve absolute expanduser"),
    ("path", "path", "relative_to rename __truediv__"),
    ("path", "list of path", "glob rglob iterdir"),
    ("path", "bool", "exists is_file is_dir is_absolute match"),
    ("path", "str", "as_posix read_text __str__"),
    ("path", "bytes", "read_bytes"),
    ("path", "none", "mkdir unlink rmdir touch"),
    ("path", "int", "write_text write_bytes"),
    ("path", "file", "open"),
    ("path", "stat", "stat"),
    ("file", "str", "read readline"),
    ("file", "list of str", "readlines"),
    ("file", "int", "write"),
    ("file", "none", "close flush writelines"),
    ("logger", "none", "debug info warning warn error critical exception log setLevel addHandler"),
    ("logger", "none", "removeHandler addFilter"),
    ("logger", "bool", "isEnabledFor hasHandlers"),
    ("logger", "logger", "getChild"),
    ("handler", "none", "setLevel setFormatter flush close addFilter"),
    ("pattern", "match or none", "match search fullmatch"),
    ("pattern", "str", "sub"),
    ("pattern", "list of str", "findall split"),
    ("match", "str", "group __getitem__"),
    ("match", "int", "start end"),
    ("datetime", "str", "strftime isoformat"),
    ("datetime", "float", "timestamp"),
    ("timedelta", "float", "total_seconds"),
    ("random", "float", "random uniform gauss"),
    ("random", "int", "randint randrange"),
    ("random", "none", "seed shuffle"),
    ("Size", "int", "numel count index __len__"),
    ("data", "data", "get pop items values keys copy setdefault lower upper strip split"),
    ("progress bar", "none", "set_description set_postfix set_postfix_str refresh write clear reset display close"),
    ("progress bar", "none", "set_description_str"),
    ("progress bar", "bool", "update"),
)
"""The results of methods of objects that have no tensor in them."""

ATTRIBUTE_ROWS = _rows(
    ("path", "str", "name stem suffix root anchor drive"),
    ("path", "list of str", "parts suffixes"),
    ("path", "path", "parent"),
    ("path", "list of path", "parents"),
    ("file", "str", "name mode encoding"),
    ("logger", "str", "name"),
    ("logger", "int", "level"),
    ("logger", "list", "handlers"),
    ("pattern", "str", "pattern"),
    ("match", "str", "string"),
    ("stat", "int", "st_size st_mode"),
    ("stat", "float", "st_mtime st_ctime st_atime"),
    ("device", "str", "type"),
    ("dtype", "bool", "is_floating_point is_complex is_signed"),
    ("dtype", "int", "itemsize"),
    ("finfo", "float", "eps max min tiny smallest_normal resolution"),
    ("finfo", "int", "bits"),
    ("iinfo", "int", "max min bits"),
    ("version", "int", "major minor micro"),
    ("progress bar", "int", "n total"),
)
"""Attributes of objects that have no tensor in them."""

CONSTANT_ROWS = _rows(
    ("math", "float", "pi e tau inf nan"),
    ("numpy", "float", "pi e inf nan"),
    ("torch", "float", "pi e inf nan"),
    ("sys", "int", "maxsize"),
    ("sys", "str", "executable platform version"),
    ("sys", "list of str", "argv path"),
    ("sys", "version", "version_info"),
    ("os", "str", "sep linesep name"),
    ("os", "data", "environ"),
    ("os.path", "str", "sep"),
    ("torch", "str", "__version__"),
    ("numpy", "str", "__version__"),
    ("logging", "int", "DEBUG INFO WARNING WARN ERROR CRITICAL NOTSET"),
)
"""The values at import paths without a call."""
