/**
 * `EventConfig`: an event file after validation.
 *
 * Only the compiler (`authoring/compile`) creates an `EventConfig`. The rest of the engine, the server and the web
 * app read it. Amounts are whole paise, dates are calendar dates in India, and all defaults of `_shared/texts.yaml`
 * are filled in.
 */
import type { Currency, Amount } from '../lib/money.ts'
import type { Condition, FieldErrors, RawAnswers } from './answer-types.ts'
import type { Approval, Edit, Retention, Cancellation } from './approval-and-cancellation-types.ts'
import type { Colour, Field, Option, Section } from './form-types.ts'
import type { Invoice } from './invoice-types.ts'
import type { GatewayKind, PaymentMethod } from './payment-method-types.ts'
import type { Role, Roles } from './delegate-fields.ts'
import type { CodeKind, Fees, Quota, MemberList, UniqueAnswers } from './pricing-types.ts'
import type { Day, Instant } from '../lib/time.ts'

export type { Colour, Field, FieldType, Option, Section } from './form-types.ts'

export type Category = {
  readonly id: string
  readonly label: string
  readonly about?: string
  readonly colour?: Colour
  readonly listedOnly: boolean
  /** Defaults to the event's currency. */
  readonly currency?: Currency
  /** The answers expected in this category. The form shows a warning for other answers but accepts them. */
  readonly expects?: Condition
}
/** `when` is null in the `otherwise` rule. */
type Rule = { readonly when: Condition | null; readonly then: string }
type CategoryChoice =
  | { readonly by: 'field'; readonly field: string }
  | { readonly by: 'rules'; readonly rules: readonly Rule[] }

export type SummaryLine = 'category' | 'period' | 'base' | 'gst' | 'total'
type FormSettings = {
  /** `sections`: one page per section; the last page shows answers and bill. */
  readonly pages: 'one' | 'sections'
  readonly stepper: { readonly steps: readonly string[]; readonly staysOn?: number } | null
  readonly panel: { readonly title?: string; readonly lines: readonly string[] } | null
  readonly summary: {
    readonly title: string
    readonly empty: string
    readonly lines: readonly SummaryLine[]
    readonly button: string
    /** The label of the submit button if there is nothing to pay. */
    readonly freeButton: string
    readonly busy: string
  }
  readonly notices: 'snackbar' | 'toast'
  /** The time for which a notice is displayed, in milliseconds. */
  readonly noticeMs: number
  /** The texts shown after registration for an event without payments. A text is null if the file omits it. */
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
  /** The name of the query parameter. */
  readonly sentAs: string
  readonly label: string
  readonly kind: 'search' | 'day' | 'options' | 'yes-no' | 'text'
  readonly options?: readonly Option[]
}
export type Column = {
  readonly id: string
  readonly label: string
  readonly kind: 'text' | 'money' | 'date' | 'status' | 'yes-no' | 'option' | 'file' | 'number'
  /** Set if the column identifies the delegate. */
  readonly role?: Role
}
export type AdminList = {
  readonly id: string
  readonly title: string
  readonly route: string
  /** Path of the list endpoint, as written in the event file; served both under /api and at the root. */
  readonly api: string
  readonly filters: readonly Filter[]
  readonly columns: readonly Column[]
  readonly pageSize: number
  /** Empty if the page size is fixed. */
  readonly pageSizes: readonly number[]
  readonly empty: string
  readonly errors: { readonly load: string; readonly shape: string; readonly export: string }
  readonly export: { readonly api: string; readonly file: string }
  /** True if payments for the event go to several gateway accounts. Lists and exports then show the account. */
  readonly hasSeveralAccounts?: true
}
export type Admin = {
  readonly dashboard: {
    readonly key: string
    readonly label: string
    readonly cards: readonly ('total' | 'paid' | 'pending' | 'failed' | 'today' | 'revenue')[]
  }
  /** At least one: an event that declares none gets /admin/<event id>. */
  readonly lists: readonly AdminList[]
}

export type Gateway = {
  readonly name: string
  /** The protocol of the gateway. Defaults to Airpay's. */
  readonly kind?: GatewayKind
  readonly live: {
    readonly pay: string
    readonly status: string
    readonly refund: string
    readonly hops: readonly string[]
  }
  /** The smallest amount that the gateway accepts in one payment. */
  readonly minimum: Amount
  readonly constants: Readonly<Record<string, string>>
  readonly postsTo: string
  readonly posts: Readonly<Record<string, string>>
}

/** A card gateway with the merchant account that is paid through it. */
export type GatewayAccount = { readonly gateway: Gateway; readonly account: string }

type Api = {
  readonly register: string
  /** Contains `{reg_no}`. */
  readonly registration: string
  readonly tariff: string
  readonly gatewayReturn: string | null
  /**
   * The values that the browser sends in addition to the answers, keyed by wire name; compared, never trusted.
   */
  readonly sends: Readonly<Record<string, string>>
  /** The values in the public API response for a registration, keyed by wire name. */
  readonly returns: Readonly<Record<string, string>>
}

export type ExampleCase =
  | {
      readonly name: string
      readonly on: Instant
      /** The example's answers: the delegate's, overridden by `given`. They are raw, as a browser would send them. */
      readonly answers: RawAnswers
      readonly expect: {
        readonly category?: string
        readonly period?: string
        readonly base?: Amount
        readonly gst?: Amount
        readonly total?: Amount
        /** Total per item id, over all lines of that item. */
        readonly lines?: Readonly<Record<string, Amount>>
        readonly shows?: readonly string[]
        readonly hides?: readonly string[]
        readonly errors?: FieldErrors
      }
    }
  /** Tests a cell of the price list, including those of categories that the form never leads to. */
  | {
      readonly name: string
      readonly on: Instant
      readonly category: string
      readonly expect: {
        readonly category?: string
        readonly period?: string
        readonly base?: Amount
        readonly gst?: Amount
        readonly total?: Amount
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
  /** Labels of the values that the engine supplies: reg_no, order_id, category, base, … */
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
  /** The placeholder values in the file. If the list is not empty, pages show a badge. */
  readonly demo: readonly string[]
  readonly look: { readonly colour: string; readonly logo?: string }
  readonly closed: { readonly heading: string; readonly text: string } | null
  /** The event's own labels for its values and delegates, replacing the shared labels. */
  readonly words?: Readonly<Record<string, string>>
  /**
   * The first and last day of registration. `closes` is the event's last day unless the file states another date;
   * absent if the file states `never`.
   */
  readonly registration: {
    readonly opens?: Day
    readonly closes?: Day
    /** Additional days on which staff register delegates at the front desk. */
    readonly desk?: { readonly opens: Day; readonly closes: Day }
  }
  readonly routes: {
    readonly form: string
    readonly also: readonly string[]
    readonly success: string
    readonly failed: string
  }
  /** The currency of all amounts, unless a category has its own. */
  readonly currency: Currency
  readonly categories: readonly Category[]
  readonly categoryChoice: CategoryChoice
  readonly fees: Fees
  readonly quotas: readonly Quota[]
  /** The time for which a seat is held during payment. */
  readonly holdSeatsMs: number
  readonly unique: readonly UniqueAnswers[]
  /** The kinds of discount codes. Empty if the form has no code field. */
  readonly codeKinds: readonly CodeKind[]
  readonly memberLists: readonly MemberList[]
  /**
   * Rules for registrations that need approval before payment; the first match applies. Empty if no registration
   * needs approval.
   */
  readonly approvals: readonly Approval[]
  readonly sections: readonly Section[]
  readonly fields: readonly Field[]
  /** Values stored with a registration that are not form fields. */
  readonly alsoStored: readonly {
    readonly id: string
    readonly type: 'text' | 'number' | 'money' | 'date'
    readonly label: string
  }[]
  /** The fields that identify a delegate. */
  readonly roles: Roles
  readonly form: FormSettings
  /** `digits` is the number of random digits plus the check digit. */
  readonly orderId: {
    readonly prefix: string
    readonly followedBy: 'digits' | 'anything'
    readonly digits: number
  }
  /** The card gateway; if there are several, the gateway of the first card method. Null without card payments. */
  readonly payment: GatewayAccount | null
  /**
   * The gateway accounts by method id, if there are several card methods. Absent if there is only one, which uses
   * `payment`.
   */
  readonly cardAccounts?: Readonly<Record<string, GatewayAccount>>
  /** All payment methods, in the file's order. Empty if the event takes no payments. */
  readonly methods: readonly PaymentMethod[]
  /** Null if the file does not define cancellation. */
  readonly cancellation: Cancellation | null
  /** Null if delegates cannot change answers themselves. */
  readonly edit: Edit | null
  /** The retention periods of answers and files. */
  readonly retention: Retention
  /** Null if payers get a receipt instead of an invoice. */
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

/**
 * The part of an event that a browser may receive: no office settings, email texts or examples.
 * Created by `toPublicEvent(config)`.
 */
export type PublicEvent = Omit<
  EventConfig,
  | 'admin'
  | 'cancellation'
  | 'edit'
  | 'email'
  | 'examples'
  | 'invoice'
  | 'methods'
  | 'office'
  | 'retention'
> & {
  /** Whether a confirmation email is sent. Absent if created from an incomplete event. */
  readonly sendsMail?: boolean
  /** The payment methods whose credit date determines the price. Absent if there are none. */
  readonly methodsPricedOnCredit?: readonly string[]
}

/**
 * Why registration is closed: the organisers closed it, it has ended, or it has not opened yet. In the last case,
 * `opens` is its first day.
 */
export type ClosedBy =
  | { readonly by: 'hand' | 'day' }
  | { readonly by: 'early'; readonly opens: Day }
