import { defineConfig } from '@mikro-orm/postgresql'
import { latchkeyEntities } from 'latchkey/entities'

const { User, schemaGenerator } = latchkeyEntities()

export const config = defineConfig({
  entities: [User],
  schemaGenerator: { ...schemaGenerator, ignoreSchema: [...schemaGenerator.ignoreSchema, 'reports'] },
})

export {}
