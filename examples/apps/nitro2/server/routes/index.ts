export default defineEventHandler(() => ({ message: 'hello, whoever you are' }))
