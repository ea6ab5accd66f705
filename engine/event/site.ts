/**
 * Types of `_shared/site.yaml`: the landing page, in page order.
 *
 * Created by `compileSite` (authoring/compile/site.ts).
 */
import type { ClosedBy } from './config.ts'
import { formatDay } from '../lib/time.ts'

/** `go` is an anchor on the page (`#features`) or a path of the site (`/admin/login`). */
export type SiteLink = { readonly label: string; readonly go: string }
/** An entry without `go` is a placeholder, which is shown as text instead of a link. */
type FooterEntry = { readonly label: string; readonly go: string | null }
type TitledText = { readonly title: string; readonly text: string }
export type Social = 'facebook' | 'x' | 'linkedin' | 'instagram' | 'youtube'

export type Site = {
  readonly page: { readonly name: string; readonly title: string; readonly about: string }
  readonly header: {
    readonly links: readonly SiteLink[]
    readonly signIn: SiteLink
    readonly createEvent: SiteLink
  }
  readonly hero: {
    readonly title: string
    readonly text: string
    readonly button: SiteLink
    readonly link: SiteLink
    /** An illustration next to the title, hidden from screen readers. Amounts in major units of `currency`. */
    readonly picture: {
      readonly title: string
      readonly day: string
      /** ISO 4217 code. Absent for INR. */
      readonly currency?: string
      readonly next: string
      readonly rows: readonly {
        readonly name: string
        readonly about: string
        readonly amount: number
      }[]
    } | null
  }
  readonly conferences: {
    readonly title: string
    readonly register: string
    readonly closed: string
    /** The badge of a conference that is not open yet; `{day}` is its opening day. */
    readonly opens: string
    readonly none: string
    /** Shown for a conference that has ended. */
    readonly past: string
  }
  /** Shown at the top of the page after a redirect to it. */
  readonly messages: { readonly unknownPayment: string }
  /** `#about` links here. */
  readonly claims: {
    readonly title: string
    readonly items: readonly { readonly figure: string; readonly label: string }[]
  }
  readonly features: { readonly title: string; readonly items: readonly TitledText[] }
  readonly steps: { readonly title: string; readonly items: readonly TitledText[] }
  readonly testimonials: {
    readonly title: string
    readonly items: readonly {
      readonly stars: number
      readonly quote: string
      readonly name: string
      readonly role: string
    }[]
  }
  readonly trial: TitledText & { readonly button: SiteLink }
  readonly footer: {
    readonly groups: readonly { readonly title: string; readonly links: readonly FooterEntry[] }[]
    readonly social: readonly Social[]
    /** Text for screen readers after an entry that has no link yet. */
    readonly placeholder: string
  }
  readonly organisers: {
    readonly title: string
    readonly text: string
    /** Id of the event whose file is shown. */
    readonly example: string
    readonly file: string
    readonly becomes: string
    readonly prices: string
    readonly form: string
    readonly examples: string
    readonly steps: readonly string[]
  }
}

/** Shown on the landing page if the gateway redirects a browser with an unknown payment. */
export const UNKNOWN_PAYMENT =
  'We could not match your payment to a registration. If an amount was deducted, please do not pay again. Write to the organisers of your conference and give the date and the amount.'

/** Default badge for a conference that is not open yet. */
export const DEFAULT_OPENS_BADGE = 'Opens {day}'

/** Returns the text that replaces the button of a conference whose registration is closed. */
export function getClosedText(texts: Site['conferences'], closed: ClosedBy | null): string {
  return closed?.by === 'early'
    ? texts.opens.replace('{day}', formatDay(closed.opens))
    : texts.closed
}
