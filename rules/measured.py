"""What findings of these rules in real code were worth; written by `python -m tests.wild.precision`."""

from __future__ import annotations

from gradlint.rule import Precision

precision = {
    "GRD103": Precision(6, 0, 2),
    "GRD104": Precision(4, 0, 4),
    "GRD114": Precision(0, 2, 1),
    "GRD115": Precision(16, 0, 5),
    "GRD121": Precision(1, 0, 1),
    "GRD123": Precision(1, 0, 1),
    "GRD301": Precision(3, 0, 3),
    "GRD306": Precision(1, 0, 1),
    "GRD307": Precision(0, 1, 1),
    "GRD310": Precision(5, 0, 4),
    "GRD401": Precision(145, 6, 44),
    "GRD412": Precision(3, 0, 1),
    "GRD414": Precision(1, 0, 1),
    "GRD501": Precision(16, 1, 6),
    "GRD502": Precision(8, 0, 3),
    "GRD504": Precision(2, 0, 2),
    "GRD509": Precision(6, 0, 3),
    "GRD607": Precision(32, 0, 17),
    "GRD608": Precision(1, 0, 1),
    "GRD614": Precision(4, 0, 3),
    "GRD617": Precision(10, 0, 7),
    "GRD701": Precision(2, 3, 3),
    "GRD710": Precision(10, 0, 5),
    "GRD712": Precision(8, 1, 3),
    "GRD715": Precision(1, 0, 1),
    "GRD801": Precision(2, 0, 1),
    "GRD802": Precision(5, 0, 2),
    "GRD805": Precision(1, 0, 1),
    "GRD807": Precision(1, 0, 1),
    "GRD808": Precision(23, 0, 8),
    "GRD902": Precision(1, 0, 1),
}
