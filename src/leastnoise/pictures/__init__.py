"""Pictures of what the library computes; see docs/pictures.md.

Every object below has `.plot()`, which comes here. A picture is data until it is shown: only to
see or save one must the extra `plots` be installed.
"""

from leastnoise.pictures.by_kind import notebook_html, picture_of
from leastnoise.pictures.error_picture import error_by_epsilon
from leastnoise.pictures.picture import Picture
from leastnoise.pictures.shared_noise_picture import error_by_questions

__all__ = ["Picture", "error_by_epsilon", "error_by_questions", "notebook_html", "picture_of"]
