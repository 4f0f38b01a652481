export const tables = [
  'subscribe_pages',
  'subscribe_page_entries',
  'subscribe_page_keys',
  'subscribe_page_owners',
  'subscriber_lists',
]
