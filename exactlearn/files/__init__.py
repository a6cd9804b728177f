"""Files: number text, float bits, model and token files, one file per import format (DESIGN section 12)."""
