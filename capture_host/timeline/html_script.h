// The script that draws lanes: a part of the page that html.cpp makes.
#pragma once

namespace pianola::timeline {

// A script element. It reads what it draws from the element "data", and draws it into the element "panels".
[[nodiscard]] const char* lanes_script();

}  // namespace pianola::timeline
