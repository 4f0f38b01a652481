import { requireUser } from '../../session'
import { Enrollment } from './enrollment'

export default async function Enroll() {
  await requireUser()
  return (
    <main>
      <h1>Add a second factor</h1>
      <Enrollment />
    </main>
  )
}
