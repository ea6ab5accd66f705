/** The QR code on the ticket: the registration number, for the registration desk. */
import { QR_CODE_OPTIONS, RESULT_MESSAGES } from '../../../engine/messages.ts'
import { QrCode } from '../../ui/qr-code.tsx'
import './ticket-qr-code.css'

/**
 * Shows the registration number as a QR code for the desk. Generated in the browser, so that no third party receives
 * the number.
 */
export function TicketQrCode({ number }: { readonly number: string }) {
  return <QrCode text={number} options={QR_CODE_OPTIONS} label={RESULT_MESSAGES.ticket.qrCode} />
}
