"""Attention followed by a ReLU network: canonical form, evaluation, black boxes and the learner (DESIGN section 9)."""
