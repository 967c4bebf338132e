"""How each shipped model is trained."""
