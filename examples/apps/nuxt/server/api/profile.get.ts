export default defineEventHandler(async (event) => {
  const { user } = await requireUser(event)
  return { message: `hello, ${user.email}` }
})
