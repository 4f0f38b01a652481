import { tanstackStart } from '@tanstack/react-start/plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [tanstackStart(), react()],
  // `vite dev` would prepare for browsers whatever a route imports, native packages too.
  optimizeDeps: { exclude: ['latchkey'] },
})
