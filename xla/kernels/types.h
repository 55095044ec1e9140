// Includes the file TYPED for float32 and float64.
#include "float32.h"
#include "typed.h"
#include TYPED
#include "float64.h"
#include "typed.h"
#include TYPED
