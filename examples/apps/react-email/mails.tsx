import { Body, Button, Container, Heading, Html, render, Text } from '@react-email/components'
import type { MailTemplate } from 'latchkey'

/** The mail that confirms an address. React escapes the values. */
export const confirmation: MailTemplate = async ({ variables }) => ({
  subject: 'Welcome to Acme',
  html: await render(
    <Html lang="en">
      <Body>
        <Container>
          <Heading>Welcome to Acme</Heading>
          <Button href={variables.ConfirmationURL}>Confirm your address</Button>
          <Text>Or enter this code: {variables.Token}</Text>
        </Container>
      </Body>
    </Html>,
  ),
})
