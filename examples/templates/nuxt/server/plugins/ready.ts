/** Opens the database when the server starts, so that no user waits for it. */
export default defineNitroPlugin(() => {
  if (!import.meta.prerender) useAuth().ready().catch(console.error)
})
