/**
 * Compiles `_shared/site.yaml` to the landing page, or reports findings.
 *
 * The structure is defined by `schemas/site.schema.json`.
 */
import type { Site, SiteLink, Social } from '../../event/site.ts'
import type { Finding } from '../finding.ts'
import { DEFAULT_OPENS_BADGE, UNKNOWN_PAYMENT } from '../../event/site.ts'
import { readWithSchema } from '../schema/check-schema.ts'

/** The content of a valid file. A test compares this type with the schema. */
export type SiteFile = {
  readonly format: 1
  readonly page: Site['page']
  readonly header: {
    readonly links: readonly SiteLink[]
    readonly sign_in: SiteLink
    readonly create_event: SiteLink
  }
  readonly hero: {
    readonly title: string
    readonly text: string
    readonly button: SiteLink
    readonly link: SiteLink
    readonly picture?: Exclude<Site['hero']['picture'], null>
  }
  readonly conferences: {
    readonly title: string
    readonly register: string
    readonly closed: string
    readonly opens?: string
    readonly none: string
    readonly past: string
  }
  readonly messages?: { readonly unknown_payment: string }
  readonly claims: Site['claims']
  readonly features: Site['features']
  readonly steps: Site['steps']
  readonly testimonials: Site['testimonials']
  readonly trial: { readonly title: string; readonly text: string; readonly button: SiteLink }
  readonly footer: {
    readonly groups: readonly {
      readonly title: string
      readonly links: readonly { readonly label: string; readonly go?: string }[]
    }[]
    readonly social: readonly Social[]
    readonly placeholder: string
  }
  readonly organisers: Site['organisers']
}

/** Returns the landing page; null if there are findings. Never throws, regardless of the text. */
export function compileSite(
  text: string,
  file: { readonly path: string } = { path: 'events/_shared/site.yaml' },
): { readonly site: Site | null; readonly findings: readonly Finding[] } {
  const { value, findings } = readWithSchema('site', { path: file.path, text })
  return { site: value === null ? null : toSite(trimTexts(value) as SiteFile), findings }
}

function toSite({
  format: _always1,
  header,
  hero,
  conferences,
  messages,
  footer,
  ...rest
}: SiteFile): Site {
  return {
    ...rest,
    header: { links: header.links, signIn: header.sign_in, createEvent: header.create_event },
    hero: { ...hero, picture: hero.picture ?? null },
    conferences: { ...conferences, opens: conferences.opens ?? DEFAULT_OPENS_BADGE },
    messages: { unknownPayment: messages?.unknown_payment ?? UNKNOWN_PAYMENT },
    footer: {
      ...footer,
      groups: footer.groups.map(({ title, links }) => ({
        title,
        links: links.map(({ label, go }) => ({ label, go: go ?? null })),
      })),
    },
  }
}

/** Removes the line break at the end of a multiline text. */
function trimTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.trim()
  if (Array.isArray(value)) return value.map(trimTexts)
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, trimTexts(inner)]))
    : value
}
