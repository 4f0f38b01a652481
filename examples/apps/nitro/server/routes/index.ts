export default () => ({ message: 'hello, whoever you are' })
