import { type EntityManager, LockMode } from '@mikro-orm/core'
import { User } from './user.entity.ts'

/** The user as stored, locked until the transaction ends; null when there is none. */
export const lockUser = (em: EntityManager, userId: string): Promise<User | null> =>
  em.findOne(User, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
