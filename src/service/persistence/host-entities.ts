import { defineEntity, p } from '@mikro-orm/core'
import { userProperties } from '../../accounts/users/user.entity.ts'
import type { User } from '../../accounts/users/user.ts'
import { capabilityTables } from '../../platform/capability-terms.ts'
import { entities } from './entities.ts'
import { migrationsTable } from './migration.ts'
import { prefixedNaming } from './naming.ts'

/** Where Latchkey's tables are: what `createAuth` is told as `database.schema` and `database.namespace`. */
export interface EntitiesOptions {
  /** Default: `auth`. */
  schema?: string
  /** The prefix of the names of tables. Default: none. */
  namespace?: string
}

/**
 * A user as the host's EntityManager reads it: the fields of `User` that are columns. The hash of the password is not
 * among them, nor is what the service alone has a use for.
 */
export type LatchkeyUser = Omit<
  User,
  'changeProvedAt' | 'emailChangeConfirmedBy' | 'identities' | 'factors'
>

/** What a host with MikroORM adds to its options. */
export interface LatchkeyEntities {
  /**
   * For `entities`: the host's own refer to it with a foreign key, and its EntityManager reads it. A flush that would
   * write it is refused.
   */
  User: new () => LatchkeyUser
  /** For `schemaGenerator`, so that the host's migrations leave Latchkey's tables and functions alone. */
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
  // With a place that is not ours, the host's migrations would drop our tables.
  const [misspelt] = Object.keys(unknown)
  if (misspelt) throw new TypeError(`${misspelt} is no option: schema and namespace are`)
  return {
    User: defineUser(schema, namespace),
    schemaGenerator: leavingAlone(schema, namespace),
  }
}

/** The columns that hosts do not read: those that {@link LatchkeyUser} lacks, or this does not compile. */
const unread: Record<Exclude<keyof typeof userProperties, keyof LatchkeyUser>, true> = {
  usernameKey: true,
  passwordHash: true,
  emailChangeConfirmStatus: true,
  changeProvedAt: true,
  registeredBy: true,
  registeredFrom: true,
  registeredKeys: true,
  version: true,
}

/** Names are spelt out: the host's naming strategy is another one. The class is not called `User`, as the host's may be. */
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
      // Where a column is lazy, MikroORM names those that it reads. Else it reads all there are, the hash too.
      version: p.integer().fieldName('version').lazy().hidden(),
    },
    hooks: {
      beforeCreate: [refuse],
      beforeUpdate: [refuse],
      beforeUpsert: [refuse],
      beforeDelete: [refuse],
    },
  })
  // The ORM's errors name the class, so it has the name of the entity.
  class LatchkeyUser extends UserSchema.class {}
  UserSchema.setClass(LatchkeyUser)
  // What is null in the table is null here, though the ORM says that it may be left out.
  return LatchkeyUser as LatchkeyEntities['User']
}

/** A write past the service would send no mail, end no session and record nothing. */
function refuse(): never {
  throw new TypeError('users are written by auth.api and auth.admin, not by an EntityManager')
}

/**
 * In a schema of our own everything is ours. In `public` the host is at home: there our tables are listed, by their
 * names without the schema, which is what MikroORM compares.
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
