/** What an event file may show beside answers: the values that the engine supplies, under their names. */

/** Of every registration. */
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

/** What a column of an office list may show; the others are for the pages after paying. */
export type ListValue = Exclude<EngineValue, 'amount' | 'date' | 'lines'>
export const LIST_VALUES = ENGINE_VALUES.filter(
  (name): name is ListValue => name !== 'amount' && name !== 'date' && name !== 'lines',
)

/** Of the event, the same for everybody. */
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
