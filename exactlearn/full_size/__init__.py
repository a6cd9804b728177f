"""Real layers at full size, with biases and vector outputs, recovered at the p-adic place (DESIGN section 10)."""
