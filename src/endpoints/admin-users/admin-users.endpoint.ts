import type { User } from '../../accounts/users/user.ts'
import { Flag, fields, Metadata, Text, Whole, wireNamed } from '../../platform/http/inputs.ts'
import type { KeyPageInput } from '../../platform/kit/key-page-input.ts'
import { type Endpoint, hookErrors } from '../http/endpoint.ts'
import { operator } from '../http/guards.ts'

/** A filter for users, and a position in the list. */
export interface ListUsersInput extends KeyPageInput {
  /**
   * A part of the email address, which is stored in lower case, or of `full_name` in the user's
   * metadata, in any letter case. `%` and `_` are wildcards.
   */
  filter?: string | undefined
  /**
   * The beginning of the email address. The users are then sorted by address, and found by index,
   * however many there are. Not permitted with `filter`.
   */
  emailPrefix?: string | undefined
  /**
   * The order by time of creation; default `desc`: the newest first. With `emailPrefix` by address;
   * default `asc`.
   */
  order?: 'asc' | 'desc' | undefined
  /** The audience. Default: that of the service. */
  audience?: string | undefined
  /** `estimated` adds `estimatedCount` to the result, at a cost that does not depend on it. */
  count?: 'estimated' | undefined
}

export interface ListedUsers {
  users: User[]
  /** The cursor of the next page; null after the last user. */
  nextCursor: string | null
  /**
   * With `count: 'estimated'`: the number of users on all pages. Exact up to 10,000 users without
   * `filter`; else an estimate of the database.
   */
  estimatedCount?: number | undefined
}

/**
 * The unique property that identifies a user. An identity is an account at a provider, with the
 * provider's id.
 */
export type UserLookUp =
  | { id: string }
  | { email: string }
  | { phone: string }
  | { username: string; audience?: string }
  | { identity: { provider: string; subject: string } }

/** The changes of a user that an operator may make. */
export interface UpdateUserInput {
  /** The role. Default for a new user: `jwt.defaultRole`. */
  role?: string | undefined
  email?: string | undefined
  /** In E.164, with or without `+`. */
  phone?: string | undefined
  /** The user name, where the configuration enables user names. Reserved names are permitted. */
  username?: string | undefined
  password?: string | undefined
  /** Whether the email is stored as confirmed; `phoneConfirm` for the phone. Default false. */
  emailConfirm?: boolean | undefined
  phoneConfirm?: boolean | undefined
  /** Merged into the stored metadata; null removes a key. The same holds for `appMetadata`. */
  userMetadata?: Record<string, unknown> | undefined
  appMetadata?: Record<string, unknown> | undefined
  /** A duration such as `24h` or `1h30m`; `none` lifts a ban. */
  banDuration?: string | undefined
}

/** A new user. At least one of `email` and `phone` is required. */
export interface CreateUserInput extends UpdateUserInput {
  /** A UUID. Default: random. */
  id?: string | undefined
  /** The audience. Default: that of the service. */
  audience?: string | undefined
  /**
   * The hash of a password that another service stored, instead of the password: bcrypt, argon2
   * (PHC string format), the scrypt of Firebase or Better Auth, or Django's PBKDF2.
   */
  passwordHash?: string | undefined
}

export interface DeleteUserInput {
  /**
   * Whether the row is kept, without personal data, for references to it. Default false: all data
   * of the user is deleted, except audit entries.
   */
  soft?: boolean | undefined
}

const changes = {
  role: Text,
  email: Text,
  phone: Text,
  username: Text,
  password: Text,
  emailConfirm: Flag,
  phoneConfirm: Flag,
  userMetadata: Metadata,
  appMetadata: Metadata,
  banDuration: Text,
} as const

const userErrors = [
  'conflict',
  'email_exists',
  'phone_exists',
  'username_exists',
  'weak_password',
] as const

const creation = {
  method: 'POST',
  guards: [operator],
  body: fields({
    ...changes,
    id: Text,
    audience: wireNamed('aud', Text),
    passwordHash: Text,
  }),
  answers: { 200: 'User' },
  errors: [...hookErrors, ...userErrors, 'user_already_exists'],
} as const

export const createUserEndpoint = {
  ...creation,
  path: '/admin/users',
  summary: 'Creates a user. No message is sent.',
  inCode: 'auth.admin.createUser',
} as const satisfies Endpoint<CreateUserInput>

export const createUserWithIdEndpoint = {
  ...creation,
  path: '/admin/users/{user_id}',
  summary: 'Creates a user with an id.',
} as const satisfies Endpoint<CreateUserInput>

interface UserPage {
  page?: number
  perPage?: number
  sort?: string
  filter?: string
}

export const listUsersEndpoint = {
  method: 'GET',
  path: '/admin/users',
  summary: 'Lists the users of an audience by pages, the newest first.',
  inCode: 'auth.admin.listUsers',
  guards: [operator],
  query: { page: Whole, perPage: Whole, sort: Text, filter: Text },
  answers: { 200: 'Users' },
  errors: [],
  conditions: {
    validation_failed: 'also for the cursor of another list',
  },
} as const satisfies Endpoint<UserPage>

export const getUserByIdEndpoint = {
  method: 'GET',
  path: '/admin/users/{user_id}',
  summary: 'Returns a user.',
  inCode: 'auth.admin.getUser',
  guards: [operator],
  answers: { 200: 'User' },
  errors: ['user_not_found'],
} as const satisfies Endpoint

export const updateUserByIdEndpoint = {
  method: 'PUT',
  path: '/admin/users/{user_id}',
  summary: 'Changes a user.',
  inCode: 'auth.admin.updateUser',
  guards: [operator],
  body: fields(changes),
  answers: { 200: 'User' },
  errors: [...userErrors, 'reauthentication_needed', 'user_not_found'],
} as const satisfies Endpoint<UpdateUserInput>

export const deleteUserByIdEndpoint = {
  method: 'DELETE',
  path: '/admin/users/{user_id}',
  summary: 'Deletes a user.',
  inCode: 'auth.admin.deleteUser',
  guards: [operator],
  body: fields({ soft: wireNamed('should_soft_delete', Flag) }),
  isBodyOptional: true,
  answers: { 200: 'Empty' },
  errors: ['conflict', 'user_not_found'],
} as const satisfies Endpoint<DeleteUserInput>
