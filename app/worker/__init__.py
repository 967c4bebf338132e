"""The process that answers questions, combining mathematics and figures."""
