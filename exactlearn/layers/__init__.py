"""Layers with biases and vector outputs, and the schedules beyond the paper's (DESIGN section 10)."""
