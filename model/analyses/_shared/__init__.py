"""Parts of answers: labelled tensors, their axes and fields, which analyses put together."""
