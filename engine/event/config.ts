/**
 * What a checked event file becomes. Everything else in the engine, the server and the web app
 * reads these shapes; only the compiler (`authoring/compile`) makes them. Amounts are whole paise, days
 * are Indian civil days, every default of `_shared/texts.yaml` is already filled in.
 */
import type { Paise } from '../lib/money.ts'
import type { Condition, FieldErrors, RawAnswers } from './answer-types.ts'
import type { Approval, Edit, Keep, Cancellation } from './registration-types.ts'
import type { Colour, Field, Option, Section } from './form-types.ts'
import type { Invoice } from './invoice-types.ts'
import type { PayWay } from './payment-method-types.ts'
import type { Role, Roles } from './delegate-fields.ts'
import type { CodeKind, Fees, Limit, Roll, Unique } from './pricing-types.ts'
import type { Day, Instant } from '../lib/time.ts'

export type { Colour, Field, FieldType, Option, Section } from './form-types.ts'

export type Category = {
  readonly id: string
  readonly label: string
  readonly about?: string
  readonly colour?: Colour
  readonly listedOnly: boolean
  /** What a delegate answers who picks it; answers that differ are pointed out and stand. */
  readonly goesWith?: Condition
}
/** `when` is null in the `otherwise` rule. */
type Rule = { readonly when: Condition | null; readonly then: string }
type CategoryChoice =
  | { readonly by: 'field'; readonly field: string }
  | { readonly by: 'rules'; readonly rules: readonly Rule[] }

export type SummaryLine = 'category' | 'period' | 'base' | 'gst' | 'total'
type FormTexts = {
  /** `sections`: one section a page, the last page shows answers and bill. */
  readonly pages: 'one' | 'sections'
  readonly stepper: { readonly steps: readonly string[]; readonly staysOn?: number } | null
  readonly panel: { readonly title?: string; readonly lines: readonly string[] } | null
  readonly summary: {
    readonly title: string
    readonly empty: string
    readonly lines: readonly SummaryLine[]
    readonly button: string
    /** The button where nothing is to be paid. */
    readonly freeButton: string
    readonly busy: string
  }
  readonly notices: 'snackbar' | 'toast'
  /** How long a notice stays, milliseconds. */
  readonly noticeMs: number
  /** Null: that part is left out. */
  readonly withoutPayment: { readonly notice: string | null; readonly alert: string | null }
  readonly failure: string
}

export type Detail =
  | {
      readonly show: string
      readonly label: string
      readonly as?: 'words'
      readonly when?: Condition
    }
  | { readonly text: string; readonly label: string; readonly when?: Condition }
export type Button =
  | { readonly label: string; readonly go: string }
  | { readonly label: string; readonly mail: string }
  | { readonly label: string; readonly do: 'receipt' | 'print' }
export type ResultPage = {
  readonly title: string
  readonly intro?: string
  readonly lookup: 'always' | 'never' | 'if-found'
  readonly details: readonly Detail[]
  readonly reasons: readonly string[]
  readonly notesTitle?: string
  readonly notes: readonly string[]
  readonly buttons: readonly Button[]
}
type Results = {
  readonly amounts: 'stored' | 'split-total'
  readonly errors: {
    readonly noOrder: string
    readonly badOrder: string
    readonly notFound: string
    readonly fetchFailed: string
  }
  readonly errorButtons: readonly Button[]
  readonly success: ResultPage
  readonly failed: ResultPage
  readonly receipt: { readonly file: string; readonly text: string } | null
}

export type Filter = {
  /** `search`, `date_from`, `date_to`, `payment_status`, a field, or `category`/`period`. */
  readonly show: string
  /** The query parameter. */
  readonly sentAs: string
  readonly label: string
  readonly kind: 'search' | 'day' | 'options' | 'yes-no' | 'text'
  readonly options?: readonly Option[]
}
export type Column = {
  readonly id: string
  readonly label: string
  readonly kind: 'text' | 'money' | 'date' | 'status' | 'yes-no' | 'option' | 'file' | 'number'
  /** Set where the column says who the delegate is. */
  readonly role?: Role
}
export type AdminList = {
  readonly id: string
  readonly title: string
  readonly route: string
  /** Path of the list call, as the event file writes it; answers both under /api and at the root. */
  readonly api: string
  readonly filters: readonly Filter[]
  readonly columns: readonly Column[]
  readonly pageSize: number
  /** Empty: the size cannot be chosen. */
  readonly pageSizes: readonly number[]
  readonly empty: string
  readonly errors: { readonly load: string; readonly shape: string; readonly export: string }
  readonly export: { readonly api: string; readonly file: string }
}
export type Admin = {
  readonly dashboard: {
    readonly key: string
    readonly label: string
    readonly cards: readonly ('total' | 'paid' | 'pending' | 'failed' | 'today' | 'revenue')[]
  }
  /** At least one: an event that states none gets /admin/<event id>. */
  readonly lists: readonly AdminList[]
}

export type Gateway = {
  readonly name: string
  readonly live: {
    readonly pay: string
    readonly status: string
    readonly refund: string
    readonly hops: readonly string[]
  }
  /** The smallest amount that it takes in one payment. */
  readonly minimum: Paise
  readonly constants: Readonly<Record<string, string>>
  readonly postsTo: string
  readonly posts: Readonly<Record<string, string>>
}

type Api = {
  readonly register: string
  /** Holds `{reg_no}`. */
  readonly registration: string
  readonly tariff: string
  readonly gatewayReturn: string | null
  /** Wire name → value the browser sends besides the answers (compared, never trusted). */
  readonly sends: Readonly<Record<string, string>>
  /** Wire name → value, in the public read of a registration. */
  readonly returns: Readonly<Record<string, string>>
}

export type ExampleCase =
  | {
      readonly name: string
      readonly on: Instant
      /** The delegate's answers with `given` laid over; raw, as a browser would send them. */
      readonly answers: RawAnswers
      readonly expect: {
        readonly category?: string
        readonly period?: string
        readonly base?: Paise
        readonly gst?: Paise
        readonly total?: Paise
        /** Totals of the lines by their item's id, those of one item together. */
        readonly lines?: Readonly<Record<string, Paise>>
        readonly shows?: readonly string[]
        readonly hides?: readonly string[]
        readonly errors?: FieldErrors
      }
    }
  /** A cell of the price list, also of a category that the form never yields. */
  | {
      readonly name: string
      readonly on: Instant
      readonly category: string
      readonly expect: {
        readonly category?: string
        readonly period?: string
        readonly base?: Paise
        readonly gst?: Paise
        readonly total?: Paise
        readonly shows?: readonly string[]
        readonly hides?: readonly string[]
      }
    }
  | { readonly name: string; readonly orderId: string; readonly order: string }

/** Texts of `_shared/texts.yaml` that no event overrides. */
export type SiteTexts = {
  /** By status, plus `network`, `not_ok` (with {status}) and `other`. */
  readonly calls: Readonly<Record<string, string>>
  readonly admin: {
    readonly signIn: string
    readonly dashboard: string
    readonly retry: string
    readonly empty: string
    readonly load: string
    readonly export: string
  }
  readonly missingValue: string
  readonly noticeMs: number
  /** Labels of the values the engine supplies: reg_no, order_id, category, base, … */
  readonly values: Readonly<Record<string, string>>
}

export type EventConfig = {
  readonly id: string
  readonly title: string
  readonly theme?: string
  readonly about?: string
  readonly from: Day
  readonly to: Day
  readonly hours?: string
  readonly venue: string
  readonly status: 'open' | 'closed'
  readonly support: string
  readonly office?: string
  /** Non-empty when the file lists stand-in values: the page shows a badge. */
  readonly demo: readonly string[]
  readonly look: { readonly colour: string; readonly logo?: string }
  readonly closed: { readonly heading: string; readonly text: string } | null
  /** What this event calls its values and delegates, instead of the labels that all events share. */
  readonly words?: Readonly<Record<string, string>>
  /** The first and the last day on which one can register. `closes` is the event's last day unless the file says another; absent where it says never. */
  readonly registration: { readonly opens?: Day; readonly closes?: Day }
  readonly routes: {
    readonly form: string
    readonly also: readonly string[]
    readonly success: string
    readonly failed: string
  }
  readonly categories: readonly Category[]
  readonly categoryChoice: CategoryChoice
  readonly fees: Fees
  readonly limits: readonly Limit[]
  /** How long a place is kept while somebody pays. */
  readonly holdPlaceMs: number
  readonly unique: readonly Unique[]
  /** The kinds of codes there are; empty: the form asks for none. */
  readonly codeKinds: readonly CodeKind[]
  readonly rolls: readonly Roll[]
  /** Whose registration is seen by somebody before it is paid, the first that fits; empty: nobody's. */
  readonly approvals: readonly Approval[]
  readonly sections: readonly Section[]
  readonly fields: readonly Field[]
  /** Values a registration carries that no form field fills. */
  readonly alsoStored: readonly {
    readonly id: string
    readonly type: 'text' | 'number' | 'money' | 'date'
    readonly label: string
  }[]
  /** Which answers say who a delegate is. */
  readonly roles: Roles
  readonly form: FormTexts
  /** `digits` counts the random digits and the check digit together. */
  readonly orderId: {
    readonly prefix: string
    readonly followedBy: 'digits' | 'anything'
    readonly digits: number
  }
  /** Through whom cards are paid; null: by no card gateway. */
  readonly payment: { readonly gateway: Gateway; readonly account: string } | null
  /** All ways to pay, in the file's order; empty: the event takes no money. */
  readonly ways: readonly PayWay[]
  /** Null: the file says nothing of it. */
  readonly cancellation: Cancellation | null
  /** Null: delegates change nothing themselves. */
  readonly edit: Edit | null
  /** How long answers and files are kept. */
  readonly keep: Keep
  /** Null: who paid gets a receipt. */
  readonly invoice: Invoice | null
  readonly api: Api
  readonly results: Results
  readonly email: {
    readonly subject: string
    readonly copyTo?: 'office' | 'support'
    readonly text: string
  } | null
  readonly admin: Admin
  readonly examples: readonly ExampleCase[]
  readonly texts: SiteTexts
}

/** What a browser may know of an event: no office, no email text, no examples. Made by `publicEvent(config)`. */
export type PublicEvent = Omit<
  EventConfig,
  'admin' | 'cancellation' | 'edit' | 'email' | 'examples' | 'invoice' | 'keep' | 'office' | 'ways'
> & {
  /** Whether a confirmation goes out by mail; absent where nobody made the public event of a whole one. */
  readonly sendsMail?: boolean
}

/** Why one cannot register: the organisers have closed it, or its days are over, or still to come; `opens` is then the first of them. */
export type ClosedBy =
  | { readonly by: 'hand' | 'day' }
  | { readonly by: 'early'; readonly opens: Day }
