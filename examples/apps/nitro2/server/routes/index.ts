export default defineEventHandler(() => ({ message: 'hello, guest' }))
