/**
 * Defaults of an event file that are not in `_shared/texts.yaml`.
 *
 * Used by the compiler, the checks and `show`.
 */
import type { Button, Field, FieldType } from './config.ts'
import type { Amount, Tax } from '../lib/money.ts'

/** A field without a type is one line of text. */
export const DEFAULT_FIELD_TYPE = 'text' satisfies FieldType
/**
 * Radio buttons show that both answers are possible; a switch looks as if it were already answered.
 */
export const DEFAULT_YES_NO_DISPLAY = 'radio' satisfies Field['as']
/** Large enough for a photographed certificate, too small for a video. */
export const DEFAULT_PROOF_MB = 5
export const BYTES_PER_MB = 1024 * 1024

/** The smallest amount that a gateway accepts in one payment, in minor units. */
export const GATEWAY_MINIMUM = 100 as Amount

/** The maximum length of answers: enough for any real answer, too short to fill a disk. */
export const MAX_ANSWER_CHARACTERS = {
  text: 200,
  multiline: 2000,
  /**
   * The longest address that mail can be sent to (RFC 5321); the gateway's limit is separate
   * (field-types.ts).
   */
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

/** The value of `closes` in an event file if registration never closes. */
export const NEVER = 'never'

/** The time for which a seat is held during payment: as long as a payment at the gateway can take. */
export const DEFAULT_SEAT_HOLD_MS = 30 * 60_000

/** The days allowed for a transfer. Banks need some days, but a seat is not held for weeks. */
export const DEFAULT_EXPIRY_DAYS = 14

/** The default theme colour, a blue. */
export const DEFAULT_THEME_COLOUR = '#1050AC'
/**
 * Twelve random digits and a check digit: numbers cannot be guessed, and there is room for a prefix
 * of three letters and a year.
 */
export const ORDER_NUMBER_DIGITS = 13
/** Tax is exact to the paisa unless the file chooses whole rupees. */
export const DEFAULT_TAX_ROUNDING = 'paise' satisfies Tax['round']
export const DEFAULT_TAX_PRICES = 'exclusive' satisfies Tax['prices']
export const DEFAULT_MESSAGE_DISPLAY = 'snackbar'
/** Result pages show the amounts stored at registration. */
export const DEFAULT_RESULT_AMOUNTS = 'stored'
/** The submit button of a form with nothing to pay. */
export const DEFAULT_FREE_BUTTON = 'Register'
/** The success page looks up the registration; the failure page never does. */
export const DEFAULT_LOOKUP = { success: 'always', failed: 'never' } as const
export const DEFAULT_ERROR_BUTTONS: readonly Button[] = [{ label: 'Go Home', go: '/' }]

/**
 * Returns the API paths of an event without an `api` section. `register` is the path in the file,
 * if any.
 */
export const buildDefaultApi = (id: string, registerPath: string | undefined) => ({
  register: registerPath ?? `/api/${id}/register/`,
  registration: `/api/${id}/registrations/{reg_no}/`,
  tariff: (registerPath ?? `/api/${id}/register/`).replace(/[^/]+\/?$/, 'tariff-info/'),
})
/** Returns the API paths of an office list and its CSV export. */
export const buildDefaultListApi = (id: string) => ({
  api: `/admin/${id}/registrations/`,
  exportApi: `/admin/export/?event_type=${id}`,
  exportFile: `${id}_registrations.csv`,
})
/** Returns the default list of an event that declares none. */
export const buildDefaultList = (id: string, title: string) => ({
  id,
  title: `${title} Registrations`,
  route: `/admin/${id}`,
})
