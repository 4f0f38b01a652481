export default () => ({ message: 'hello, guest' })
