"""A lecture: talks as lists of scenes, and rooms whose students follow one."""
