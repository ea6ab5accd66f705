/**
 * Renders an email's text as HTML in its event's theme.
 * Uses components that email clients render consistently. No part of the text is treated as markup; URLs in it
 * become links.
 */
import { createElement, type ReactElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { Body } from '@react-email/body'
import { Button } from '@react-email/button'
import { Container } from '@react-email/container'
import { Head } from '@react-email/head'
import { Heading } from '@react-email/heading'
import { Hr } from '@react-email/hr'
import { Html } from '@react-email/html'
import { Link } from '@react-email/link'
import { Preview } from '@react-email/preview'
import { Section } from '@react-email/section'
import { Text } from '@react-email/text'
import { computeThemeColors, type EventConfig } from '../../engine/index.ts'
import { EMAIL_MESSAGES, formatMessage } from '../../engine/messages.ts'
import type { QueuedMail } from '../storage/index.ts'

/** Fonts that are available on phones, in email clients and on web pages. */
const FONT_FAMILY = "'Noto Sans', 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
const INK_COLOUR = '#16202b'
const MUTED_COLOUR = '#56606b'
/** Replaces the components' blue, which has too little contrast on white. */
const LINK_COLOUR = '#1050ac'
/** Dark colours by selector. Email clients without support for them keep the light colours of the elements. */
const DARK_COLOURS: Readonly<Record<string, string>> = {
  '.page': 'background:#11181f',
  '.page td': 'background:transparent',
  '.card': 'background:#1b242d',
  '.ink': 'color:#e7ecf1',
  '.muted': 'color:#a7b3bf',
  '.ink a': 'color:#8fc2ff',
  '.rule': 'border-color:#34414d',
}
const DARK_RULES = Object.entries(DARK_COLOURS)
  .map(([selector, colour]) => `${selector}{${colour}!important}`)
  .join('')
const DARK_STYLES = `:root{color-scheme:light dark}@media(prefers-color-scheme:dark){${DARK_RULES}}`
/** The length of the preview next to the subject. Email clients cut off longer previews. */
const MAX_PREVIEW_CHARACTERS = 110

export type EmailTheme = Pick<EventConfig, 'title' | 'support'> & {
  readonly look: Pick<EventConfig['look'], 'colour'>
}
type Page = {
  readonly subject: string
  readonly text: string
  /** `reviews` is sent to the office, all other emails to delegates. */
  readonly kind: QueuedMail['kind']
}

/** Renders an email as HTML. A link to one of our pages (`publicUrl`) on its own line becomes a button. */
export function renderEmailHtml(
  event: EmailTheme,
  { subject, text, kind }: Page,
  publicUrl: string,
): string {
  const paragraphs = text.trim().split(/\n{2,}/)
  // The email about a second registration links to the lost-link page. All other emails link to a registration.
  const buttonLabel =
    kind === 'paused' ? EMAIL_MESSAGES.requestLinks : EMAIL_MESSAGES.openRegistration
  const html = h(
    Html,
    { lang: 'en-IN' },
    h(
      Head,
      null,
      h('title', null, subject),
      h('meta', { name: 'color-scheme', content: 'light dark' }),
      h('meta', { name: 'supported-color-schemes', content: 'light dark' }),
      h('style', null, DARK_STYLES),
    ),
    h(Preview, null, (paragraphs[1] ?? text).slice(0, MAX_PREVIEW_CHARACTERS)),
    h(
      Body,
      {
        className: 'page',
        // Wraps words that are wider than a phone's screen. Email clients support the property under this older name.
        style: {
          margin: 0,
          padding: '16px 8px',
          background: '#eef1f4',
          fontFamily: FONT_FAMILY,
          wordBreak: 'break-word',
        },
      },
      h(
        Container,
        {
          className: 'card',
          style: {
            maxWidth: 560,
            background: '#ffffff',
            borderTop: `4px solid ${event.look.colour}`,
          },
        },
        h(
          Section,
          { style: { padding: '20px 24px 8px' } },
          h(
            Heading,
            { as: 'h1', className: 'ink', style: { margin: 0, fontSize: 20, color: INK_COLOUR } },
            event.title,
          ),
          ...paragraphs.map((paragraph, index) =>
            renderParagraph(paragraph, index, event, publicUrl, buttonLabel),
          ),
        ),
        h(
          Section,
          { style: { padding: '0 24px 16px' } },
          h(Hr, { className: 'rule', style: { borderColor: '#d9dfe5' } }),
          h(
            Text,
            { className: 'muted', style: { margin: 0, fontSize: 13, color: MUTED_COLOUR } },
            ...(kind === 'reviews'
              ? [formatMessage(EMAIL_MESSAGES.reasonForOffice, { event: event.title })]
              : [
                  `${formatMessage(EMAIL_MESSAGES.reason, { event: event.title })} `,
                  h(
                    Link,
                    {
                      key: 'support',
                      className: 'muted',
                      href: `mailto:${event.support}`,
                      style: { color: MUTED_COLOUR },
                    },
                    event.support,
                  ),
                ]),
          ),
        ),
      ),
    ),
  )
  return `<!DOCTYPE html>${renderToStaticMarkup(html)}`
}

const h = createElement

function renderParagraph(
  paragraph: string,
  key: number,
  { look: theme }: EmailTheme,
  publicUrl: string,
  buttonLabel: string,
): ReactElement {
  const lines = paragraph.split('\n')
  const link = lines.find((line) => line.startsWith(`${publicUrl}/`) && !line.includes(' '))
  const textLines = lines.filter((line) => line !== link)
  const paragraphText = h(
    Text,
    {
      key,
      className: 'ink',
      style: { margin: '14px 0', fontSize: 16, lineHeight: '24px', color: INK_COLOUR },
    },
    ...textLines.flatMap((line, index) =>
      index === 0
        ? insertLinks(line, index)
        : [h('br', { key: `b${index}` }), ...insertLinks(line, index)],
    ),
  )
  if (link === undefined) return paragraphText
  return h(
    Section,
    { key },
    paragraphText,
    h(
      Button,
      {
        href: link,
        style: {
          background: computeThemeColors(theme.colour).accent,
          color: '#ffffff',
          borderRadius: 8,
          padding: '12px 20px',
          fontSize: 16,
          fontWeight: 600,
        },
      },
      buttonLabel,
    ),
    h(
      Text,
      {
        className: 'muted',
        style: { margin: '10px 0', fontSize: 13, color: MUTED_COLOUR, wordBreak: 'break-all' },
      },
      h(Link, { className: 'muted', href: link, style: { color: MUTED_COLOUR } }, link),
    ),
  )
}

/** Turns the URLs in a line into links. Punctuation that ends a sentence is not part of the link. */
function insertLinks(line: string, at: number): readonly ReactNode[] {
  return line
    .split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)])/)
    .map((part, index) =>
      index % 2 === 0
        ? part
        : h(Link, { key: `${at}.${index}`, href: part, style: { color: LINK_COLOUR } }, part),
    )
}
