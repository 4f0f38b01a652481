export default defineEventHandler((event) =>
  auth().fetch(toWebRequest(event), { ip: getRequestIP(event) }),
)
