import { auth } from '../auth'

const answer = ({ request }: { request: Request }) => auth().fetch(request)

export { answer as action, answer as loader }
