"""gradlint's own rules, one file per mistake, one folder per family."""
