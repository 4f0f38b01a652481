import { expect, it } from 'vitest'

// Findings of an attack that are not fixed yet. A test that succeeds fails here: move it.
