"""The learner on outputs with error bars: every answer a ball that contains the true parameter (DESIGN section 8)."""
