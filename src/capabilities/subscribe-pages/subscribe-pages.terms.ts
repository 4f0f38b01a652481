export const tables = [
  'subscribe_pages',
  'subscribe_page_entries',
  'subscribe_page_keys',
  'subscribe_page_owners',
  'subscriber_lists',
]

export const auditActions = {
  subscriber_list_created: {
    number: 80,
    logType: 'team',
    recordedWhen: 'An operator created a list of the subscription pages.',
  },
  subscriber_list_updated: {
    number: 81,
    logType: 'team',
    recordedWhen: 'An operator changed a list of the subscription pages.',
  },
  subscriber_list_deleted: {
    number: 82,
    logType: 'team',
    recordedWhen: 'An operator deleted a list of the subscription pages.',
  },
} as const
