"""Words of a sentence that can be wrong although it is whole: of comparison, direction and place.
Each of them, wherever it is said, belongs to a saying.
"""

OF_CHANGE = """
fall falls fell falling rise rises rose rising grow grows grew growing shrink shrinks fade fades
climb climbs drop drops increase increases decrease decreases vanish vanishes gain gains gained
lose loses lost raise raises raised lower lowers lowered improve improves improved become becomes
"""
OF_SIZE = """
more less fewer most least many few larger smaller largest smallest longer shorter longest shortest
farther farthest nearer nearest higher highest lowest better worse best worst cheaper cheapest
likelier likeliest bigger biggest greater greatest sooner later earlier
equal equally unequal alike same different differ differs other another
once twice half double tenth hundred hundreds times nearly
small large long short deep near away close closer slow fast sooner
"""
OF_PLACE = """
above below before after between beyond within up upper down upward downward
first last second third next newest left right
"""
OF_LOGIC = """
with without instead alone only also all every each both none no not never nothing neither any
hold holds held fail fails does so because
"""
OF_LOOKS = """
flat level full dashed dotted thick thin solid straight bright dark blue orange grey red green
yellow violet
"""
OF_KIND = """
scaled unscaled soft hard warm cold trained untrained random exact
query queries key keys value values token tokens position positions row rows column columns
encoder decoder sum mean average square root product power
"""
WORDS = {
    word
    for group in (OF_CHANGE, OF_SIZE, OF_PLACE, OF_LOGIC, OF_LOOKS, OF_KIND)
    for word in group.split()
}
