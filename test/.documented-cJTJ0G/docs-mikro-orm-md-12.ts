import { defineEntity, MikroORM, p } from '@mikro-orm/postgresql'
import { latchkeyEntities } from 'latchkey/entities'

const { User, schemaGenerator } = latchkeyEntities()

export const Note = defineEntity({
  name: 'Note',
  properties: {
    id: p.integer().primary(),
    owner: () => p.manyToOne(User).deleteRule('cascade'),
    text: p.text(),
  },
})

const orm = await MikroORM.init({
  clientUrl: 'postgres://app@localhost/app',
  entities: [User, Note],
  schemaGenerator,
})

export {}
