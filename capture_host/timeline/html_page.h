// The fixed parts of the page that render_html() makes: style sheet, buttons, script.
//
// Place in the whole: html.cpp only. The script reads what it draws from the element "data". Host only.
#pragma once

namespace pianola::timeline {

extern const char* const kHead;  // up to and without the title
extern const char* const kStyle;
extern const char* const kControls;
extern const char* const kScript;

}  // namespace pianola::timeline
