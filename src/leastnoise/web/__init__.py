"""The explorer: a page on this machine that shows what a budget means, plans, releases and tells.

`server` listens, `guard` lets nobody else in, `app` joins addresses to answers. Answers are plain
values made of public numbers; the page draws them. No row of anybody's data ever reaches the page.
"""
