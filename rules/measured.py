"""The worth of these rules' findings in real code; written by `python -m tests.wild.worth`."""

from __future__ import annotations

from gradlint.rule import Worth

worth = {
    "GRD103": Worth(6, 0, 2),
    "GRD104": Worth(4, 0, 4),
    "GRD115": Worth(16, 0, 5),
    "GRD121": Worth(1, 0, 1),
    "GRD123": Worth(1, 0, 1),
    "GRD301": Worth(3, 0, 3),
    "GRD306": Worth(1, 0, 1),
    "GRD310": Worth(5, 0, 4),
    "GRD401": Worth(185, 7, 48),
    "GRD412": Worth(5, 0, 2),
    "GRD414": Worth(5, 0, 5),
    "GRD501": Worth(16, 1, 6),
    "GRD502": Worth(7, 0, 3),
    "GRD504": Worth(6, 0, 4),
    "GRD509": Worth(6, 0, 3),
    "GRD601": Worth(0, 1, 1),
    "GRD607": Worth(32, 0, 17),
    "GRD608": Worth(1, 0, 1),
    "GRD612": Worth(1, 0, 1),
    "GRD614": Worth(5, 0, 4),
    "GRD617": Worth(14, 0, 11),
    "GRD618": Worth(2, 0, 1),
    "GRD621": Worth(2, 0, 1),
    "GRD701": Worth(7, 3, 6),
    "GRD710": Worth(10, 0, 5),
    "GRD712": Worth(8, 0, 2),
    "GRD715": Worth(1, 0, 1),
    "GRD724": Worth(1, 0, 1),
    "GRD801": Worth(2, 0, 1),
    "GRD802": Worth(5, 0, 2),
    "GRD805": Worth(1, 0, 1),
    "GRD806": Worth(1, 0, 1),
    "GRD807": Worth(1, 0, 1),
    "GRD808": Worth(23, 0, 8),
    "GRD810": Worth(1, 0, 1),
    "GRD902": Worth(1, 0, 1),
}
