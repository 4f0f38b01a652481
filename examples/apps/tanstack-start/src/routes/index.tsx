import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/')({ component: () => <p>hello, guest</p> })
