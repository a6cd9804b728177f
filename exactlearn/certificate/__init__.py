"""Certificates of learned models: SPEC.md says what they mean, the schema what they look like (DESIGN section 11)."""
