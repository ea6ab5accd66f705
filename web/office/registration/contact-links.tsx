/** The contact links of a delegate: copy, call, email, WhatsApp. */
import { useState } from 'react'
import { Icon } from '../../ui/icons-and-logo.tsx'
import type { OfficeRegistrationResponse } from '../../../engine/api.ts'

type ContactLinksProps = OfficeRegistrationResponse['contact'] & { readonly regNo: string }

export function ContactLinks({ regNo, email, phone }: ContactLinksProps) {
  const [status, setStatus] = useState('')
  const copy = (): void => {
    navigator.clipboard.writeText(regNo).then(
      () => setStatus('Number copied.'),
      () => setStatus('The browser blocked copying.'),
    )
  }
  const whatsappLink = buildWhatsappUrl(phone)
  return (
    <div className="contact-links">
      <button type="button" className="btn quiet sm" onClick={copy}>
        <Icon name="copy" small />
        Copy number
      </button>
      {phone !== '' && (
        <a
          className="btn quiet sm"
          href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}
          aria-label={`Call ${phone}`}
        >
          {phone}
        </a>
      )}
      {email !== '' && (
        <a className="btn quiet sm" href={`mailto:${encodeURIComponent(email)}`}>
          Email
        </a>
      )}
      {whatsappLink !== null && (
        <a className="btn quiet sm" href={whatsappLink} target="_blank" rel="noreferrer">
          WhatsApp
        </a>
      )}
      <span role="status" className="mute">
        {status}
      </span>
    </div>
  )
}

/** Returns the WhatsApp link for a phone number, with the country code. Returns null if the number is invalid. */
export function buildWhatsappUrl(phone: string): string | null {
  const digits = phone.replaceAll(/\D/g, '').replace(/^0+/, '')
  if (digits.length < 10 || digits.length > 15) return null
  return `https://wa.me/${digits.length === 10 ? `91${digits}` : digits}`
}
