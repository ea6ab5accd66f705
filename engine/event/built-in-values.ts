/** Values that the engine supplies to texts and columns in addition to answers, by name. */

/** Available for every registration. */
export const ENGINE_VALUES = [
  'reg_no',
  'order_id',
  'category',
  'period',
  'base',
  'gst',
  'total',
  'amount',
  'date',
  'payment_date',
  'payment_status',
  'payment_id',
  'created_at',
  'id',
  'lines',
] as const
export type EngineValue = (typeof ENGINE_VALUES)[number]

/** Values that a column of an office list may show; the others are for result pages. */
export type ListValue = Exclude<EngineValue, 'amount' | 'date' | 'lines'>
export const LIST_VALUES = ENGINE_VALUES.filter(
  (name): name is ListValue => name !== 'amount' && name !== 'date' && name !== 'lines',
)

/** Values of the event, the same for every registration. */
export const EVENT_VALUES = [
  'event.title',
  'event.theme',
  'event.about',
  'event.dates',
  'event.hours',
  'event.venue',
  'event.support',
] as const
export const TAX_VALUES = ['tax.name', 'tax.percent'] as const
