import { defineEntity, p } from '@mikro-orm/core'
import { userProperties } from '../../accounts/users/user.entity.ts'
import type { User } from '../../accounts/users/user.ts'
import { capabilityTables } from '../../platform/capability-terms.ts'
import { entities } from './entities.ts'
import { migrationsTable } from './migration.ts'
import { prefixedNaming } from './naming.ts'

/**
 * The place of Latchkey's tables: the settings `database.schema` and `database.namespace` of
 * `createAuth`.
 */
export interface EntitiesOptions {
  /** Default: `auth`. */
  schema?: string
  /** The prefix of table names. Default: none. */
  namespace?: string
}

/**
 * A user as the host's EntityManager reads it: the fields of `User` that are columns, without the
 * hash of the password and columns that only the service uses.
 */
export type LatchkeyUser = Omit<
  User,
  | 'changeProvedAt'
  | 'emailChangedAt'
  | 'phoneChangedAt'
  | 'emailChangeConfirmedBy'
  | 'identities'
  | 'factors'
>

/** The options that a host with MikroORM adds to its own. */
export interface LatchkeyEntities {
  /**
   * The entity for `entities`: the host's own refer to it with a foreign key, and its EntityManager
   * reads it. A flush that would write it is rejected.
   */
  User: new () => LatchkeyUser
  /**
   * The options for `schemaGenerator` by which the host's migrations ignore Latchkey's tables and
   * functions.
   */
  schemaGenerator: { ignoreSchema: string[]; skipTables: string[]; ignoreRoutines: boolean }
}

/**
 * Latchkey's users for the MikroORM 7 of a host.
 *
 * @throws TypeError for an option that there is not.
 *
 * ```ts
 * const { User, schemaGenerator } = latchkeyEntities()
 * const orm = await MikroORM.init({ entities: [User, Note], schemaGenerator, clientUrl })
 * ```
 */
export function latchkeyEntities(options: EntitiesOptions = {}): LatchkeyEntities {
  const { schema = 'auth', namespace = '', ...unknown } = options
  // With another place, the host's migrations would drop our tables.
  const [misspelt] = Object.keys(unknown)
  if (misspelt)
    throw new TypeError(`unknown option ${misspelt}: the options are schema and namespace`)
  return {
    User: defineUser(schema, namespace),
    schemaGenerator: leavingAlone(schema, namespace),
  }
}

/**
 * The columns that hosts do not read, which {@link LatchkeyUser} lacks. Does not compile while one
 * is missing.
 */
const unread: Record<Exclude<keyof typeof userProperties, keyof LatchkeyUser>, true> = {
  usernameKey: true,
  passwordHash: true,
  emailChangeConfirmStatus: true,
  changeProvedAt: true,
  emailChangedAt: true,
  phoneChangedAt: true,
  registeredBy: true,
  registeredFrom: true,
  registeredKeys: true,
  version: true,
}

/**
 * Defines the entity. Names are spelled out, because the host's naming strategy may differ. The
 * class is not called `User`, because the host's may be.
 */
function defineUser(schema: string, namespace: string): LatchkeyEntities['User'] {
  const naming = new (prefixedNaming(namespace))()
  const columns = Object.entries(userProperties)
    .filter(([name]) => !(name in unread))
    .map(([name, property]) => [name, property.fieldName(naming.propertyToColumnName(name))])
  const UserSchema = defineEntity({
    name: 'LatchkeyUser',
    schema,
    tableName: naming.classToTableName('User'),
    properties: {
      ...(Object.fromEntries(columns) as Omit<typeof userProperties, keyof typeof unread>),
      // With a lazy column, MikroORM names the columns that it reads. Without one it reads all,
      // including the hash.
      version: p.integer().fieldName('version').lazy().hidden(),
    },
    hooks: {
      beforeCreate: [refuse],
      beforeUpdate: [refuse],
      beforeUpsert: [refuse],
      beforeDelete: [refuse],
    },
  })
  // The ORM's errors contain the name of the class, which is that of the entity.
  class LatchkeyUser extends UserSchema.class {}
  UserSchema.setClass(LatchkeyUser)
  // A column that is null in the table is null here, though the ORM's type permits undefined.
  return LatchkeyUser as LatchkeyEntities['User']
}

/** Rejects a write, which would bypass mails, the end of sessions, and the audit log. */
function refuse(): never {
  throw new TypeError(
    'users are written by auth.api and auth.admin; an EntityManager only reads them',
  )
}

/**
 * In our own schema all tables are ours. In `public`, a schema of the host, our tables are listed,
 * by their names without the schema, which MikroORM compares.
 */
function leavingAlone(schema: string, namespace: string): LatchkeyEntities['schemaGenerator'] {
  const naming = new (prefixedNaming(namespace))()
  const tables = entities.map(({ name }) => naming.classToTableName(name))
  const ofCapabilities = capabilityTables.map((name) => namespace + name)
  return schema === 'public'
    ? {
        ignoreSchema: [],
        skipTables: [...tables, ...ofCapabilities, namespace + migrationsTable],
        ignoreRoutines: true,
      }
    : {
        ignoreSchema: [schema],
        skipTables: [`${schema}.${naming.classToTableName('User')}`],
        ignoreRoutines: false,
      }
}
