#!/usr/bin/env node
import { useCompileCache } from './compile-cache.ts'

// It acts on modules that are loaded later.
useCompileCache()
await import('./run-command.ts')
