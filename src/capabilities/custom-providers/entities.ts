import { CustomProviderEntity } from './custom-provider.entity.ts'

export const entities = [CustomProviderEntity]
