/**
 * Every value that an event file may leave out and that `_shared/texts.yaml` does not hold: what
 * stands there then. The compiler fills them in, the checks and `show` speak of the same ones.
 */
import type { Button, Field, FieldType } from './config.ts'
import type { Paise, Tax } from '../lib/money.ts'

/** A question that says nothing of its type is one line of text. */
export const FIELD_TYPE = 'text' satisfies FieldType
/** Two answers side by side show that both are possible; a switch looks answered. */
export const YES_NO_AS = 'radio' satisfies Field['as']
/** A photographed certificate fits, a film does not. */
export const PROOF_MB = 5
export const BYTES_PER_MB = 1024 * 1024

/** What a gateway takes at least in one payment. */
export const GATEWAY_MINIMUM = 100 as Paise

/** Longest answers: enough for any honest one, too little to fill a disk. */
export const ANSWER_CHARACTERS_MAX = {
  text: 200,
  multiline: 2000,
  /** The longest address that mail can be sent to (RFC 5321); what a gateway takes is another matter (field-types.ts). */
  email: 254,
  phone: 30,
  number: 30,
  date: 10,
  'yes-no': 5,
  select: 200,
  file: 200,
  many: 200,
  people: 200,
  consent: 5,
} satisfies Record<FieldType, number>

/** What stands instead of a last day of registration where there is none. */
export const NEVER = 'never'

/** How long a place is kept while somebody pays: as long as a payment at a gateway may take. */
export const HOLD_PLACE_MS = 30 * 60_000

/** How long a transfer is waited for: banks take days for it, and nobody's place is kept for weeks. */
export const LAPSE_DAYS = 14

/** The blue of the look, for an event without a colour of its own. */
export const LOOK_COLOUR = '#1050AC'
/** Twelve random digits and a check digit: no number is guessed, and three letters and a year fit before them. */
export const ORDER_DIGITS = 13
/** A tax is split exactly unless the file wants whole rupees. */
export const TAX_ROUND = 'paise' satisfies Tax['round']
export const TAX_PRICES = 'exclusive' satisfies Tax['prices']
export const MESSAGES_AS = 'snackbar'
/** Result pages show what was stored at registration. */
export const RESULT_AMOUNTS = 'stored'
/** The button of a form on which nothing is to be paid. */
export const FREE_BUTTON = 'Register'
/** The page of a success looks the registration up, the other one never does. */
export const LOOKUP = { success: 'always', failed: 'never' } as const
export const ERROR_BUTTONS: readonly Button[] = [{ label: 'Go Home', go: '/' }]

/** Rows on a page of an office list: one screen. */
export const LIST_ROWS = 20
/** What one may choose from in the list of an event that states none. */
export const LIST_ROWS_CHOICES: readonly number[] = [10, 20, 50, 100]

/** Where an event without an `api` section answers; `register` is that of the file, where it states one. */
export const apiOf = (id: string, register: string | undefined) => ({
  register: register ?? `/api/${id}/register/`,
  registration: `/api/${id}/registrations/{reg_no}/`,
  tariff: (register ?? `/api/${id}/register/`).replace(/[^/]+\/?$/, 'tariff-info/'),
})
/** Where an office list answers, and its CSV file, by the list's id. */
export const listApiOf = (id: string) => ({
  api: `/admin/${id}/registrations/`,
  exportApi: `/admin/export/?event_type=${id}`,
  exportFile: `${id}_registrations.csv`,
})
/** The list of an event that states none. */
export const listOf = (id: string, title: string) => ({
  id,
  title: `${title} Registrations`,
  route: `/admin/${id}`,
})
